// Runs inside the sandbox, by the hub's own Node, where a command was given the network: a door on 127.0.0.1 that leads through a
// socket to the hub's proxy, and the command beside it. Imports nothing of the program: it is all that the sandbox is given of it.
//
//   node bridge.ts <socket> <port> <program> <arguments...>

import { spawn } from 'node:child_process'
import { createConnection, createServer } from 'node:net'

const [socket = '', port = '', program = '', ...args] = process.argv.slice(2)
const server = createServer((client) => {
  const hub = createConnection(socket)
  client.on('error', () => hub.destroy())
  hub.on('error', () => client.destroy())
  client.pipe(hub).pipe(client)
})
server.listen(Number(port), '127.0.0.1', () => {
  const child = spawn(program, args, { stdio: 'inherit' })
  child.on('error', (error) => {
    process.stderr.write(`${program}: ${error.message}\n`)
    process.exit(127)
  })
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGKILL' ? 137 : 143)))
})
