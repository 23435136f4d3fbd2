// References to secrets in configurations: EDDI writes ${vault:key}, ${vault:tenant/key} or the older ${eddivault:key}; the hub's own
// form is {{secret:key}}. Values stand in neither.

const vaultForm = /\$\{(?:eddi)?vault:([^{}\s]{1,200})\}/g

/** The name that the secret has here: the key without its tenant, in the letters that names may have. */
export function secretNameOf(key: string): string {
  const plain = key.slice(key.lastIndexOf('/') + 1).toLowerCase()
  const allowed = plain.replace(/[^a-z0-9_.-]+/g, '-').replace(/^[^a-z]+/, '')
  return (allowed === '' ? 'secret' : allowed).slice(0, 64)
}

/** The same text with the hub's own references; the same string where there is none. */
export function withSecretReferences(text: string): string {
  return text.includes('vault:') ? text.replace(vaultForm, (_, key: string) => `{{secret:${secretNameOf(key)}}}`) : text
}

/** Names of all secrets that a text refers to, in either form, each once. */
export function secretNamesIn(text: string): readonly string[] {
  const own = withSecretReferences(text).matchAll(/\{\{secret:([a-z][a-z0-9_.-]{0,63})(?::[a-z0-9]+)?\}\}/g)
  return [...new Set([...own].flatMap(([, name]) => (name === undefined ? [] : [name])))]
}
