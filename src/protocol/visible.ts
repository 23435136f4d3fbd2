// What can't be seen in a text, written out: signs that turn the direction of writing, that have no width, that steer a terminal.
// For what a person decides on: it must not look like something else than it is.

/** Joiners stay: scripts and emoji need them, and they move nothing. Line ends and tabs stay. */
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is written out
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

/** `rm a\u{202e}txt` instead of a text that shows the end first. */
export function visible(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(unseen, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`)
}
