/** A real S3 server on loopback with one bucket, which checks signatures. */
import crypto from 'node:crypto'
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

/**
 * It hides in the tokens of long lists where it was, by a cipher that OpenSSL 3 has no more: each list of more than one
 * page would be a fault of the store. Triple DES with one key for both is the same cipher.
 */
for (const name of ['createCipheriv', 'createDecipheriv'] as const) {
  const make = crypto[name] as (algorithm: string, key: unknown, ...rest: unknown[]) => unknown
  Object.assign(crypto, {
    [name]: (algorithm: string, key: unknown, ...rest: unknown[]) =>
      algorithm === 'des'
        ? make('des-ede-cbc', Buffer.concat([key as Buffer, key as Buffer]), ...rest)
        : make(algorithm, key, ...rest),
  })
}

/** No name of a bucket. */
const AWAY = '.away'
const TOO_SKEWED = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>RequestTimeTooSkewed</Code>
<Message>The difference between the request time and the current time is too large.</Message></Error>`

const isReadOfProbe = ({ method, url }: { method: string; url: string }) => method === 'GET' && url.includes('/probe-')

/** The one account that the server knows. */
const KEY = 'S3RVER'

const FILES = ['object', 'object.md5', 'metadata.json']
/**
 * Its own way also removes the folder that it found empty a moment before, with what was stored there since: of two nodes
 * that try the store at the same time, one misses its file. Stores have no folders.
 */
async function deleteFilesAlone({ store }: S3rver, bucket: string, key: string): Promise<void> {
  await Promise.all(FILES.map((file) => rm(store.getResourcePath(bucket, key, file), { force: true })))
}

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
  /** Reads of files whose names contain one of these are answered once its promise is settled. */
  held: Map<string, Promise<unknown>>
  /** Takes the bucket away with all that is in it, until it is restored. */
  deleteBucket(): Promise<void>
  restoreBucket(): Promise<void>
  /**
   * Whether calls are refused as S3 does when the clock of the caller is a quarter of an hour off.
   */
  isClockOff: boolean
  /**
   * What comes of reading a probe: keys may write and not read, and a store may hand out something else, or
   * know of nothing at first.
   */
  probes: 'unreadable' | 'altered' | 'late' | undefined
  /** What it was asked for since this was emptied: method and address. */
  calls: string[]
  /** How many calls were answered at the same time at most, since this was last asked: those about `counted`. */
  mostAtOnce(): number
  /** Part of an address; empty for every call. */
  counted: string
  /** Stops for good; what was stored is gone. */
  close(): Promise<void>
}

export async function startObjectStore(): Promise<ObjectStore> {
  const directory = await mkdtemp(join(tmpdir(), 's3-'))
  const faulty = new Set<string>()
  const held = new Map<string, Promise<unknown>>()
  let running = 0
  let most = 0
  const port = await freePort()
  const store = {
    isClockOff: false,
    probes: undefined as ObjectStore['probes'],
    calls: [] as string[],
    counted: '',
  }
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
      const isCounted = address.includes(store.counted)
      if (isCounted) most = Math.max(most, ++running)
      store.calls.push(`${context.method} ${address}`)
      try {
        const isRead = context.method === 'GET' && !address.includes('?')
        for (const [part, until] of held) if (isRead && address.includes(part)) await until
        if (store.isClockOff) {
          context.status = 403
          context.type = 'application/xml'
          context.body = TOO_SKEWED
        } else if ([...faulty].some((part) => address.includes(part))) context.status = 503
        else if (store.probes === 'unreadable' && isReadOfProbe(context)) context.status = 403
        else if (store.probes === 'late' && isReadOfProbe(context)) {
          store.probes = undefined
          context.status = 404
        } else await next()
        if (store.probes === 'altered' && isReadOfProbe(context)) context.body = 'something else'
      } finally {
        if (isCounted) running--
      }
    })
    s3.store.deleteObject = (bucket, key) => deleteFilesAlone(s3, bucket, key)
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
    held,
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
