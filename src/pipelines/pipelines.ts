// Pipelines: agents that are configuration, not code (EDDI's kind). Owns: what their configurations say, the language of their
// expressions, parser, rules, properties, output and templates, their versions and where they are deployed, import and export.
// Leaves turns, calls and models to engines/pipeline, documents to scopes, secrets to secrets.
//
// Doors beside this file: configuration.ts (the types), conversation.ts (what a conversation knows), and the door of each folder,
// the file that is named after it: expressions, parser, rules, output, properties, template, configurations, transfer.

export type { Configurations, Kind, ResourceRef } from './configuration.ts'
export type { Memory, OpenStep, Property, Step } from './conversation.ts'
