// What a note or a project is kept under: small letters, digits and "-"; a name of other letters by their numbers.
import { folded } from './vocabulary.ts'

const most = 48

export function slugOf(name: string): string {
  const plain = folded(name.slice(0, 400))
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
  const slug = cut(plain.replace(/[^a-z0-9]+/g, '-'))
  if (slug !== '') return slug
  const letters = [...plain].filter((sign) => /[\p{L}\p{N}]/u.test(sign)).slice(0, 8)
  return letters.length === 0 ? '' : cut(`n-${letters.map((sign) => (sign.codePointAt(0) ?? 0).toString(16)).join('-')}`)
}

function cut(text: string): string {
  return text.replace(/^-+/, '').slice(0, most).replace(/-+$/, '')
}
