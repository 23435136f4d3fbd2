// Which models a request is for: the one that it names before the chain of its tier, or one at an account of its own.
import { InvalidInput } from '../base/errors.ts'
import { type Chains, type Choice, choose, chooseOwn, type From, noModel } from './choice.ts'
import { failure, type ModelFailure, type ModelRequest } from './message.ts'

export type Ways = {
  /** At least one. */
  readonly chain: readonly Choice[]
  /** The named model, when it is not even tried: why, as the beginning of a notice, and what is to be done, as a sentence. */
  readonly passed: { readonly model: string; readonly why: string; readonly message: string } | null
}

type Given = From & { readonly chains: Chains }

/** Never wider than asked: of a local-only project, only what stays on this machine (M9). Never throws. */
export function waysOf(request: ModelRequest, given: Given): Ways | ModelFailure {
  const wrong = wrongIn(request)
  if (wrong !== null) return failure('invalid_request', wrong)
  if (request.account !== undefined) return ownWay(request, given)
  const { model } = request
  const tier = ofTier(given.chains[request.tier], request)
  if (model === undefined) return 'ok' in tier ? tier : { chain: tier, passed: null }
  const named = ofName(model, request, given)
  const chain = 'ok' in tier ? [] : tier
  if ('provider' in named) return { chain: [named, ...chain.filter((one) => one.name !== named.name)], passed: null }
  if (chain.length === 0) return failure('no_model', named.message)
  return { chain, passed: { model, ...named } }
}

/** Who brings an account decided who reads the words and who pays for them: nobody else is asked instead (M11). */
function ownWay({ model, account, localOnly }: ModelRequest, given: Given): Ways | ModelFailure {
  if (model === undefined || account === undefined)
    return failure('invalid_request', 'A call with an account of its own has to name its model, as <provider>/<model>.')
  const found = tried(() => chooseOwn(model, account, given))
  if ('message' in found) return failure('no_model', found.message)
  if (found.missing !== null) return failure('no_model', `The model ${model} can't be asked with this account. ${found.missing}`)
  if (localOnly && !found.isLocal)
    return failure('no_model', `This project is local-only, and the account for ${model} is not on this machine.`)
  return { chain: [found], passed: null }
}

function ofTier(chain: readonly Choice[], { localOnly, tier }: ModelRequest): readonly Choice[] | ModelFailure {
  if (chain.length === 0) return failure('no_model', noModel)
  const local = localOnly ? chain.filter((one) => one.isLocal) : chain
  if (local.length > 0) return local
  const names = chain.map((one) => one.name).join(', ')
  return failure(
    'no_model',
    `This project is local-only, and the tier ${tier} has no model on this machine (it has ${names}). Add one, for example ollama/llama3.2, to the chain of this tier, or let the project use other models.`,
  )
}

type Passed = { readonly why: string; readonly message: string }

function ofName(model: string, { localOnly }: ModelRequest, given: Given): Choice | Passed {
  const found = tried(() => choose(model, given.settings, given.chosen))
  if ('message' in found) return { why: `${shortened(model)} is no model that this hub knows`, message: found.message }
  if (found.missing !== null) return { why: `${shortened(model)} is not set up`, message: found.missing }
  if (!localOnly || found.isLocal) return found
  return {
    why: `${shortened(model)} is not on this machine, and the project is local-only`,
    message: `This project is local-only, and the model ${shortened(model)} is not on this machine.`,
  }
}

/** A wrong name or address as a sentence. */
export function tried(find: () => Choice): Choice | { readonly message: string } {
  try {
    return find()
  } catch (error) {
    if (error instanceof InvalidInput) return { message: error.message }
    throw error
  }
}

function shortened(name: string): string {
  return name.length > longestShown ? `${name.slice(0, longestShown).toWellFormed()}…` : name
}

const longestShown = 120

/** Which number of the request is none, and what is allowed; null: all are. */
function wrongIn({ temperature, topP, timeoutMs }: ModelRequest): string | null {
  if (temperature !== undefined && !(temperature >= 0 && temperature <= 2)) return `temperature is ${temperature}; allowed is 0 to 2.`
  if (topP !== undefined && !(topP > 0 && topP <= 1)) return `topP is ${topP}; allowed is above 0, at most 1.`
  if (timeoutMs !== undefined && !(timeoutMs > 0)) return `timeoutMs is ${timeoutMs}; allowed is a number of milliseconds above 0.`
  return null
}
