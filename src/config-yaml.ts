// The reader of steward.yaml, in a file of its own: it is loaded only when there is such a file, and a bundle that loads a CommonJS
// package late, by its own name, finds none of its exports.

export { parse as parseYaml } from 'yaml'
