/**
 * Load on one address: keep-alive connections that each send the next request when the answer to
 * the last one has come. Runs in a thread of its own and reads no more of HTTP than a length, so
 * that what is measured is the server.
 */
import { connect } from 'node:net'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

export interface Load {
  port: number
  path: string
  headers: Readonly<Record<string, string>>
  connections: number
  seconds: number
}

export interface LoadResult {
  perSecond: number
  /** Milliseconds. */
  p50: number
  p95: number
  /** Bytes of the last answer's body. */
  bytes: number
}

/** Throws when any answer is not 200. */
export async function load(what: Load): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: what })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

/** The length of the whole answer and of its body, once its head is there. */
function lengthsOf(bytes: Buffer): { whole: number; body: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = bytes.toString('latin1', 0, end)
  if (!head.startsWith('HTTP/1.1 200'))
    throw new Error(`${head.split('\r\n')[0]} ${bytes.toString('utf8', end + 4, end + 300)}`)
  const body = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN)
  return { whole: end + 4 + body, body }
}

async function run({ port, path, headers, connections, seconds }: Load): Promise<LoadResult> {
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  const times: number[] = []
  let bytes = 0
  const start = performance.now()
  const end = start + seconds * 1000
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1').setNoDelay(true)
      let sent = 0
      let came: Buffer[] = []
      let size = 0
      let lengths: { whole: number; body: number } | undefined
      const ask = () => {
        sent = performance.now()
        socket.write(request)
      }
      socket.once('connect', ask)
      socket.once('error', reject)
      socket.on('data', (piece: Buffer) => {
        came.push(piece)
        size += piece.length
        try {
          lengths ??= lengthsOf(came.length === 1 ? piece : Buffer.concat(came))
        } catch (error) {
          socket.destroy()
          return reject(error)
        }
        if (!lengths || size < lengths.whole) return
        const now = performance.now()
        times.push(now - sent)
        bytes = lengths.body
        came = []
        size = 0
        lengths = undefined
        if (now < end) return ask()
        socket.destroy()
        resolve()
      })
    })
  await Promise.all(Array.from({ length: connections }, one))
  const taken = (performance.now() - start) / 1000
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN
  return { perSecond: times.length / taken, p50: at(0.5), p95: at(0.95), bytes }
}

if (!isMainThread && workerData) run(workerData).then((result) => parentPort?.postMessage(result))
