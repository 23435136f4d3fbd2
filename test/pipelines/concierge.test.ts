import { afterEach, describe, expect, test } from 'vitest'
import { newPlace, type Place } from '../program.ts'

let place: Place
afterEach(() => place?.remove())

describe('a hub without a model', () => {
  test('[Y195] greets, explains, says who is there, and asks for what it needs, in English and German', {
    timeout: 120_000,
  }, async () => {
    place = newPlace()
    const hub = await place.start()
    const said = async (text: string) => {
      const { code, out, err } = await place.run(['ask', text])
      expect([code, err], text).toEqual([0, ''])
      return out
    }
    expect(await said('hello')).toMatch(/\?/)
    expect(await said('hilfe')).toMatch(/Projekt/)
    expect(await said('what can you do without a model?')).toContain('STEWARD_MODEL')
    expect(await said('which agents are there?')).toContain('@scout')
    expect(await said('create a project called garden')).toContain('garden')
    expect(await said('list my projects')).toMatch(/no projects/i)
    expect((await hub.stop()).code).toBe(0)
  })
})
