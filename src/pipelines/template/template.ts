// Renders the templates of pipelines: a small evaluator of the syntax that their configurations use, the part of Qute that is safe.
// Invariants: no code of a template is run by the machine: names lead to own members of plain data, and to the functions of this
// folder (Y41). A rendering ends within its limits (Y42). Reading is linear, and what can't be read is a TemplateFault with its
// place, or stays words (Y43). What a value renders is not looked at again: who wants a value of the data to be a template compiles
// that value (Y44). Templates of the older syntax are carried over by migrate.ts, those of outputs are rendered by step.ts.

export { type Templates, templates } from './cache.ts'
export {
  compileTemplate,
  type Rendering,
  type Template,
  type TemplateData,
  type TemplateOptions,
  templateFaults,
} from './compiled.ts'
export { type TemplateMode, templateModes } from './escape.ts'
export { TemplateFault } from './fault.ts'
export { type Migrated, migrateTemplate, migrateTemplateWithFaults } from './migrate.ts'
export { type TemplateLimits, templateLimits } from './run.ts'
export { quotedTemplate } from './scan.ts'
export { setRendered, templatingStep } from './step.ts'
