/**
 * One connection to an Oracle database, in a thread of its own: whatever a server sends, its driver
 * holds nobody else up, and its memory is bounded. It speaks to the server through `ThreadSocket`
 * alone, and to no other address: a redirect ends it.
 */

import { createRequire } from 'node:module'
import net from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import type { Connection } from 'oracledb'
import { awaitedLater, inBackground } from '../../../../kernel/background.ts'
import type { DriverError, DriverStart, FromDriver, ToDriver } from '../../../protocols/oracle/driver-messages.ts'
import { runText } from './run-text.ts'
import { ThreadSocket } from './thread-socket.ts'
import { readDatesExactly } from './values.ts'

const CANCELLED: DriverError = { code: 'ORA-01013', message: 'ORA-01013: user requested cancel of current operation' }
const port = parentPort as NonNullable<typeof parentPort>
const start = workerData as DriverStart
const tell = (message: FromDriver) => port.postMessage(message)

const socket = new ThreadSocket({
  send: (bytes) => port.postMessage({ event: 'bytes', bytes } satisfies FromDriver, [bytes.buffer as ArrayBuffer]),
  read: (bytes) => tell({ event: 'read', bytes }),
})
let isDialled = false
// This thread's own: nothing else connects in it.
net.connect = ((_port: number, _host: string, connected: () => void) => {
  if (isDialled) throw new Error('the server has sent its client elsewhere')
  isDialled = true
  setImmediate(connected)
  return socket
}) as unknown as typeof net.connect
readDatesExactly()

let connection: Connection | undefined
/** The running text, to its end. */
let running: Promise<void> = Promise.resolve()
/** The server is asked something, and will answer, */
let isAsked = false
/** and is to break it off. */
let isCancelled = false
let dealtWith = () => {}

/** Addition of the driver: an address to read more at. */
const MORE = /\nHelp: https:\S+$/

const errorOf = (error: unknown): DriverError => {
  const message = (error as Error).message.replace(MORE, '')
  return { code: /^[A-Z]{3}-\d+/.exec(message)?.[0] ?? '', message }
}

async function signIn(): Promise<void> {
  const oracledb: typeof import('oracledb').default = createRequire(import.meta.url)('oracledb')
  const { username, password, service, program } = start
  try {
    connection = await oracledb.getConnection({
      ...{ user: username, password, osUser: 'sallyport', stmtCacheSize: 0 },
      // Blanks are not possible there.
      program: program.replaceAll(' ', '_'),
      // The address is nobody's: the connection is there.
      connectString: `(DESCRIPTION=(ADDRESS=(PROTOCOL=tcp)(HOST=127.0.0.1)(PORT=1521))(CONNECT_DATA=(SERVICE_NAME=${service})))`,
    })
    const { oracleServerVersionString: version, serviceName } = connection
    tell({ event: 'signed in', version, service: serviceName || service })
  } catch (error) {
    tell({ event: 'refused', error: errorOf(error) })
  }
}

async function call<T>(work: () => Promise<T>): Promise<T> {
  if (isCancelled) throw new Error(CANCELLED.message)
  isAsked = true
  try {
    return await work()
  } finally {
    isAsked = false
  }
}

/** One thing after the other. */
function next(work: (connection: Connection) => Promise<void>): void {
  running = awaitedLater(
    running.then(async () => {
      if (!connection) return
      isCancelled = false
      try {
        await work(connection)
      } catch (error) {
        tell({ event: 'failed', error: errorOf(error) })
      }
      tell({ event: 'ready', isInTransaction: Boolean(connection.transactionInProgress) })
    }),
  )
}

function cancel(): void {
  isCancelled = true
  dealtWith()
  if (isAsked) void connection?.breakExecution().catch(() => {})
}

async function leave(): Promise<void> {
  cancel()
  await running
  await connection?.close().catch(() => {})
  tell({ event: 'over' })
}

port.on('message', (message: ToDriver) => {
  switch (message.say) {
    case 'bytes':
      return socket.arrived(message.bytes)
    case 'sent':
      return socket.wentOut()
    case 'run':
      return next((one) =>
        runText(message.text, {
          ...{ connection: one, tell, call },
          dealtWith: () =>
            new Promise<void>((resolve) => {
              dealtWith = resolve
            }),
        }),
      )
    case 'change password':
      return next((one) => call(() => one.changePassword(start.username, message.old, message.changed)))
    case 'more':
      return dealtWith()
    case 'cancel':
      return cancel()
    case 'leave':
      return inBackground(leave())
    case 'hung up':
      socket.hungUp()
      dealtWith()
      return inBackground(signedIn.then(() => running).then(() => tell({ event: 'over' })))
  }
})
const signedIn = awaitedLater(signIn())
