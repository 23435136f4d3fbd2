// One rendering: its data, what it wrote so far, and the limits that end it.
import type { Json, JsonObject } from '../../base/json.ts'
import { faultAt } from './fault.ts'

/**
 * `steps`: parts visited, and one more for each 100 characters that a function reads or makes. `characters`: how long the output,
 * and each text that is made on the way, may be. Both hold for one rendering, loops and nested parts included.
 */
export type TemplateLimits = { readonly steps: number; readonly characters: number }
export const templateLimits: TemplateLimits = { steps: 100_000, characters: 1_000_000 }

const charactersAStep = 100

/** What a rendering is made of; `text` is the template, for places. */
export type Given = {
  readonly text: string
  readonly limits: TemplateLimits
  readonly uuid: (() => string) | undefined
}

export class Run {
  readonly data: JsonObject
  /** Values of names that sections bind, by a number that compiling gave. */
  readonly slots: Json[] = []
  private output = ''
  private steps = 0
  private readonly given: Given

  constructor(data: JsonObject, given: Given) {
    this.data = data
    this.given = given
  }

  get written(): string {
    return this.output
  }

  step(at: number): void {
    if (++this.steps > this.given.limits.steps) throw this.tooManySteps(at)
  }

  write(text: string, at: number): void {
    this.checkLength(this.output.length + text.length, at)
    this.output += text
  }

  /** Counts what a function reads or makes, before it does. */
  work(characters: number, at: number): void {
    this.steps += Math.ceil(characters / charactersAStep)
    if (this.steps > this.given.limits.steps) throw this.tooManySteps(at)
  }

  /** Counts a text that is about to be made. */
  make(characters: number, at: number): void {
    this.checkLength(characters, at)
    this.work(characters, at)
  }

  uuid(at: number): string {
    if (!this.given.uuid) throw this.fault('uuidUtils:generateUUID() is not available here, where no ids are given', at)
    return this.given.uuid()
  }

  fault(message: string, at: number): Error {
    return faultAt(this.given.text, message, at)
  }

  private checkLength(characters: number, at: number): void {
    const most = this.given.limits.characters
    if (characters > most) throw this.fault(`a text of the template grows longer than the ${most} characters that are allowed`, at)
  }

  private tooManySteps(at: number): Error {
    return this.fault(`the template takes more than the ${this.given.limits.steps} steps that are allowed`, at)
  }
}

/** What gives a value in a rendering: null for what is missing. */
export type Evaluate = (run: Run) => Json
