// What a reader of plain text gets of output items. Quick replies are no text: they are shown as what can be chosen.
import type { JsonObject } from '../../base/json.ts'

type Words = { readonly image: string; readonly button: string; readonly link: string; readonly enter: string }

const english: Words = { image: 'Image', button: 'Button', link: 'Link', enter: 'Please enter' }
const german: Words = { image: 'Bild', button: 'Schaltfläche', link: 'Link', enter: 'Bitte eingeben' }

/** Each item a paragraph; '' when there is nothing to read. Words of our own are in that language, else in English. */
export function textOfItems(items: readonly JsonObject[], language = 'en'): string {
  return items
    .map((item) => itemText(item, language))
    .filter((text) => text !== '')
    .join('\n\n')
}

/** '' for what is only to be seen: faces, and what has no words. */
export function itemText(item: JsonObject, language = 'en'): string {
  const own = /^de\b/i.test(language) ? german : english
  const member = (name: string): string => textIn(item, name)
  switch (item['type']) {
    case 'text':
      return member('text')
    case 'image':
      return labelled(own.image, member('alt'), member('uri'))
    case 'button':
      return labelled(own.button, member('label'), addressIn(member('onPress')))
    case 'applicationLink':
      return labelled(own.link, member('label'), member('path'))
    case 'inputField':
      return labelled(own.enter, member('label'), member('placeholder'))
    case 'quickReply':
    case 'agentFace':
    case 'botFace':
      return ''
    default:
      return member('text') || labelled(own.enter, member('label'), member('placeholder'))
  }
}

/** `Word: name (more)`; '' without both. */
function labelled(word: string, name: string, more: string): string {
  if (name === '' && more === '') return ''
  if (name === '' || more === '' || name === more) return `${word}: ${name || more}`
  return `${word}: ${name} (${more})`
}

function addressIn(text: string): string {
  return /^(?:https?:\/\/|mailto:|\/)/.test(text) ? text : ''
}

function textIn(item: JsonObject, name: string): string {
  const value = Object.hasOwn(item, name) ? item[name] : undefined
  if (typeof value === 'string') return value.trim()
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}
