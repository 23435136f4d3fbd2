// A hub as a process of its own, so that a test can kill it: `hub-process.ts HOME`. Prints its address, then serves.
import { openHub } from './http-hub.ts'

const hub = await openHub({ home: process.argv[2] ?? '', trustLoopback: true })
hub.gate.always = process.env['GATE'] !== 'shut'
const server = await hub.listen()
process.stdout.write(`${server.address}\n`)
