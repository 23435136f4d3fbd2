// The one hash by which texts are known again.
import { hash } from 'node:crypto'

/** SHA-256 of the text in UTF-8, 64 hexadecimal digits. */
export function sha256(text: string): string {
  return hash('sha256', text, 'hex')
}
