// Expected failures of the hub's other rooms are answers to the model, not breaks.
import { StewardError } from '../base/errors.ts'
import { type Outcome, refused } from './tool.ts'

/** What a room refuses becomes its own words under its own code; anything else is a bug and thrown on. */
export async function guarded(act: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await act()
  } catch (thrown) {
    if (thrown instanceof StewardError) return refused(thrown.code, thrown.message)
    throw thrown
  }
}
