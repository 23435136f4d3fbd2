// Templates of pipelines that come with the program: folders in the layout of an import, each an agent to begin with.
//
// Y188  From a template a new agent is made, under the name that was given; the template stays as it is.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { InvalidInput, NotFound } from '../../base/errors.ts'
import { slugOf } from '../configurations/roster-file.ts'
import type { Environment, Writer } from '../configurations/store.ts'
import { bundleIn } from './bundle.ts'
import { readFolder } from './folder.ts'
import { shown } from './limits.ts'
import type { Applied, Transfer } from './transfer.ts'

export type TemplateInfo = { readonly template: string; readonly title: string; readonly description: string }
export type PipelineTemplates = {
  list(): Promise<readonly TemplateInfo[]>
  /** Throws NotFound, naming those that there are, and InvalidInput for a name that can't be one. */
  make(template: string, given: { readonly name: string; readonly deploy?: Environment; readonly writer: Writer }): Promise<Applied>
}

export function openTemplates(root: string, transfer: Transfer): PipelineTemplates {
  async function names(): Promise<readonly string[]> {
    const found = await readdir(root, { withFileTypes: true }).catch(() => [])
    return found.flatMap((one) => (one.isDirectory() && /^[a-z][a-z0-9-]{0,63}$/.test(one.name) ? [one.name] : [])).sort()
  }
  return {
    async list() {
      return Promise.all(
        (await names()).map(async (template) => {
          const { name, description } = bundleIn(await readFolder(join(root, template))).agent
          return { template, title: name, description }
        }),
      )
    },
    async make(template, { name, deploy, writer }) {
      const known = await names()
      if (!known.includes(template))
        throw new NotFound(`there is no template ${shown(template)}; there is ${known.join(', ') || 'none'}`, { path: 'template' })
      const title = name.trim()
      if (title === '' || title.length > 100 || slugOf(title) === 'pipeline')
        throw new InvalidInput('a name of 1 to 100 characters with a letter of a-z is wanted', { path: 'name' })
      const files = await readFolder(join(root, template))
      const choice = { strategy: 'create', name: title } as const
      return transfer.apply({ files }, choice, { writer, ...(deploy === undefined ? {} : { deploy }) })
    },
  }
}
