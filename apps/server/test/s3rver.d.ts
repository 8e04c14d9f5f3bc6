declare module '@20minutes/s3rver' {
  import type { EventEmitter } from 'node:events'
  import type { Server } from 'node:http'
  import type { AddressInfo } from 'node:net'

  /** The part that tests use (github.com/20minutes/s3rver). */
  export default class S3rver extends EventEmitter {
    constructor(options: {
      address: string
      port: number
      directory: string
      silent: boolean
      vhostBuckets: boolean
      configureBuckets: { name: string }[]
    })
    httpServer: Server
    /** It is an application of Koa. */
    middleware: ((
      context: { method: string; url: string; status: number; type: string; body: unknown },
      next: () => Promise<void>,
    ) => Promise<void>)[]
    store: {
      getResourcePath(bucket: string, key: string, resource: string): string
      deleteObject(bucket: string, key: string): Promise<void>
    }
    run(): Promise<AddressInfo>
  }
}

declare module '@20minutes/s3rver/lib/signature/v4.js' {
  const signatures: { getStringToSign: (sent: { uri: string }, request: unknown) => string }
  export default signatures
}
