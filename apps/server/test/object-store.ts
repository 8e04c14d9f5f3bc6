/** A real S3 server on loopback with one bucket, which checks signatures. */
import { mkdtemp, rename, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'
import signatures from '@20minutes/s3rver/lib/signature/v4.js'
import { freePort } from './free-port.ts'

export const BUCKET = 'recordings'
/** Stores sign the path as it was sent; this one forgets the slash behind the bucket. */
const { getStringToSign } = signatures
signatures.getStringToSign = (sent, request) =>
  getStringToSign({ ...sent, uri: /^\/[^/]+$/.test(sent.uri) ? `${sent.uri}/` : sent.uri }, request)

/** No name of a bucket. */
const AWAY = '.away'
const TOO_SKEWED = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>RequestTimeTooSkewed</Code>
<Message>The difference between the request time and the current time is too large.</Message></Error>`

/** The one account that the server knows. */
const KEY = 'S3RVER'

export interface ObjectStore {
  endpoint: string
  /** Settings of a node that keeps its recordings here, in a folder of the bucket. */
  environment: Record<string, string>
  /** Takes no more calls and breaks those that are under way, until `start`. */
  stop(): Promise<void>
  /** Answers at the same address again, with everything that was stored. */
  start(): Promise<void>
  /** Calls about names that contain one of these are answered 503. */
  faulty: Set<string>
  /** Takes the bucket away with all that is in it, until it is restored. */
  deleteBucket(): Promise<void>
  restoreBucket(): Promise<void>
  /** Whether calls are refused as S3 does when the clock of whoever makes them is a quarter of an hour off. */
  isClockOff: boolean
  /** How many calls were answered at the same time at most, since this was last asked. */
  mostAtOnce(): number
  /** Stops for good; what was stored is gone. */
  close(): Promise<void>
}

export async function startObjectStore(): Promise<ObjectStore> {
  const directory = await mkdtemp(join(tmpdir(), 's3-'))
  const faulty = new Set<string>()
  let running = 0
  let most = 0
  const port = await freePort()
  const store = { isClockOff: false }
  let server: Server | undefined
  const start = async () => {
    if (server) return
    const s3 = new S3rver({
      address: '127.0.0.1',
      port,
      directory,
      silent: true,
      vhostBuckets: false,
      configureBuckets: [{ name: BUCKET }],
    })
    s3.middleware.unshift(async (context, next) => {
      const address = decodeURIComponent(context.url)
      most = Math.max(most, ++running)
      try {
        if (store.isClockOff) {
          context.status = 403
          context.type = 'application/xml'
          context.body = TOO_SKEWED
        } else if ([...faulty].some((part) => address.includes(part))) context.status = 503
        else await next()
      } finally {
        running--
      }
    })
    // Calls that were broken off are its affair.
    s3.on('error', () => {})
    await s3.run()
    server = s3.httpServer
  }
  const stop = async () => {
    const running = server
    if (!running) return
    server = undefined
    const closed = new Promise((resolve) => running.close(resolve))
    running.closeAllConnections()
    await closed
  }
  await start()
  const endpoint = `http://127.0.0.1:${port}`
  return Object.assign(store, {
    endpoint,
    environment: {
      SALLYPORT_RECORDINGS: `s3://${BUCKET}/sallyport`,
      SALLYPORT_RECORDINGS_ENDPOINT: endpoint,
      SALLYPORT_RECORDINGS_ACCESS_KEY: KEY,
      SALLYPORT_RECORDINGS_SECRET_KEY: KEY,
    },
    start,
    stop,
    faulty,
    deleteBucket: () => rename(join(directory, BUCKET), join(directory, AWAY)),
    restoreBucket: () => rename(join(directory, AWAY), join(directory, BUCKET)),
    mostAtOnce() {
      const answer = most
      most = 0
      return answer
    },
    async close() {
      await stop()
      await rm(directory, { recursive: true, force: true })
    },
  })
}
