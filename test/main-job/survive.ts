// Kills a hub with SIGKILL in the middle of main jobs, again and again, starts it on the same home, and looks whether each thing was
// done once: project, session, message, file, command, yes, report.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { seeded } from '../../src/base/testing.ts'
import { startScriptedModel } from '../../src/models/scripted.ts'
import { type Hub, modelEnv, newPlace } from '../program.ts'
import { answerOf, type Dialogue, planOf, reportOf, sentenceOf, startedOf } from './brain.ts'
import { answerDoubts, type Json, newPerson, type Person, sayYes } from './person.ts'

export type Survived = { readonly problems: readonly string[]; readonly kills: number; readonly jobs: number }

type Told = Dialogue & { readonly session: string }

const atOnce = 3
/** So long may what was begun take once nobody kills any more. */
const restMs = 60_000
const longestLifeMs = 900

export async function survive({ seed, kills, tell = () => {} }: Wanted): Promise<Survived> {
  const random = seeded(seed)
  const place = newPlace()
  const model = await startScriptedModel({ keep: 10, otherwise: answerOf })
  const person = newPerson()
  const problems: string[] = []
  const jobs: Told[] = []
  let isOver = false
  let hub = await place.start(modelEnv(model))
  await person.meet(hub)
  const told = (async () => {
    while (!isOver) {
      jobs.push(...(await begin(person, join(dirname(place.home), 'work'), jobs.length)))
      await untilReported(person, { jobs, problems, patience: () => !isOver })
    }
  })().catch((error: unknown) => void problems.push(`the person was refused: ${String(error)}`))
  try {
    for (let kill = 1; kill <= kills; kill++) {
      await pause(random.next() * longestLifeMs)
      hub = await killed(hub, () => place.start(modelEnv(model)))
      await person.meet(hub)
      if (kill % 10 === 0) tell(`seed ${seed}: ${kill} kills, ${jobs.length} jobs`)
    }
    isOver = true
    await told
    const ends = Date.now() + restMs
    await untilReported(person, { jobs, problems, patience: () => Date.now() < ends })
    for (const job of jobs) await judge(person, job, problems)
    await judgeRest(person, jobs, problems)
    return { problems, kills, jobs: jobs.length }
  } finally {
    isOver = true
    await place.remove()
    await model.close()
  }
}

export type Wanted = { readonly seed: number; readonly kills: number; readonly tell?: (line: string) => void }

async function killed(hub: Hub, start: () => Promise<Hub>): Promise<Hub> {
  hub.child.kill('SIGKILL')
  await hub.ended
  return start()
}

/** Some more jobs at once, each in a folder and a session of its own. */
async function begin({ call }: Person, work: string, from: number): Promise<Told[]> {
  return Promise.all(
    Array.from({ length: atOnce }, async (_, at) => {
      const name = `job-${from + at}x`
      const folder = join(work, name)
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'db.js'), 'db.query("SELECT " + id)\n')
      writeFileSync(join(folder, 'old.txt'), 'not needed any more\n')
      const session = String((await call('POST', '/api/sessions', {}))['id'])
      await call('POST', `/api/sessions/${session}/messages`, { id: `say-${name}`, text: sentenceOf({ name, folder }) })
      return { name, folder, session }
    }),
  )
}

type Watched = { readonly jobs: readonly Told[]; readonly problems: string[]; readonly patience: () => boolean }

async function untilReported(person: Person, { jobs, problems, patience }: Watched): Promise<void> {
  const left = new Set(jobs)
  const ran = (project: string) => jobs.some(({ name, folder }) => name === project && existsSync(join(folder, 'count.txt')))
  while (left.size > 0 && patience()) {
    await sayYes(person, problems)
    await answerDoubts(person, ran)
    for (const job of left) if ((await textsOf(person, job.session)).some((text) => text.includes(reportOf(job.name)))) left.delete(job)
    await pause(30)
  }
}

async function textsOf({ call }: Person, session: string): Promise<string[]> {
  return (await call('GET', `/api/sessions/${session}/messages?limit=200`)).items.map((line) => String(line['text']))
}

async function judge(person: Person, job: Told, problems: string[]): Promise<void> {
  const { name, folder, session } = job
  const wrong = (what: string) => void problems.push(`${name} (${session}): ${what}`)
  const once = (lines: readonly string[], part: string) => {
    const count = lines.filter((text) => text.includes(part)).length
    if (count !== 1) wrong(`${JSON.stringify(part)} stands there ${count} times in ${JSON.stringify(lines)}`)
  }
  const lines = await textsOf(person, session)
  for (const part of [sentenceOf(job), startedOf(name), reportOf(name)]) once(lines, part)
  const { items: sessions } = await person.call('GET', `/api/sessions?project=${name}&limit=50`)
  if (sessions.length !== 1) return wrong(`${sessions.length} sessions in the project`)
  const worker = String(sessions[0]?.['id'])
  for (const part of [sentenceOf(job), reportOf(name)]) once(await textsOf(person, worker), part)
  if (textIn(folder, 'PLAN.md') !== planOf(name)) wrong(`PLAN.md is ${JSON.stringify(textIn(folder, 'PLAN.md'))}`)
  const files = readdirSync(folder).toSorted()
  if (files.join() !== 'PLAN.md,count.txt,db.js') wrong(`the folder holds ${files.join(', ')}`)
  if (textIn(folder, 'count.txt') !== 'ran\n') wrong(`the command ran so often: ${JSON.stringify(textIn(folder, 'count.txt'))}`)
  const asked = (await person.call('GET', `/api/approvals?session=${worker}`)).items.map((one) => `${one['tool']} ${one['status']}`)
  if (asked.toSorted().join() !== 'exec_run approved,file_delete approved') wrong(`approvals: ${asked.join(', ')}`)
}

/** Nothing else was made, nothing waits and nothing runs. */
async function judgeRest(person: Person, jobs: readonly Told[], problems: string[]): Promise<void> {
  const { items: projects } = await person.call('GET', '/api/projects?limit=200')
  const names = projects.map((one) => String(one['name'])).toSorted()
  if (
    names.join() !==
    jobs
      .map(({ name }) => name)
      .toSorted()
      .join()
  )
    problems.push(`projects: ${names.join(', ')}`)
  const { items: sessions } = await person.call('GET', '/api/sessions?limit=500')
  const busy = sessions.filter((one: Json) => String(one['status']) !== 'IDLE').map((one) => `${one['id']} is ${one['status']}`)
  if (busy.length > 0) problems.push(`not at rest: ${busy.join(', ')}`)
  const { items: open } = await person.call('GET', '/api/approvals?status=requested')
  if (open.length > 0) problems.push(`${open.length} approvals wait`)
}

function textIn(folder: string, name: string): string | null {
  return existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : null
}
