// Pipelines: agents that are configuration, not code (EDDI's kind). Owns: what their configurations say, the language of their
// expressions, parser, rules, properties, output and templates, their versions and where they are deployed, import and export.
// Leaves turns, calls and models to engines/pipeline, documents to scopes, secrets to secrets.
//
// Doors beside this file: configuration.ts (the types), conversation.ts (what a conversation knows), references.ts (secrets that they
// name), open-pipelines.ts, configurations/store.ts, conversations/facts.ts, and the door of each folder, the file that is named after
// it: expressions, paths, parser, rules, output, properties, data, template, configurations, conversations, memories, transfer.

export type { Configurations, Kind, ResourceRef } from './configuration.ts'
export type { Memory, OpenStep, Property, Step } from './conversation.ts'
