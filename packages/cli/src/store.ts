import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Failure } from './exit.ts'
import type { Say } from './words.ts'

/** How a person has signed in to a server. */
export type Kept =
  | { kind: 'bearer'; token: string; expires?: string | undefined }
  | { kind: 'private'; token: string }
  | { kind: 'key'; id: string; secret: string }

export interface KnownServer {
  url: string
  username?: string | undefined
  credentials?: Kept | undefined
  /** Organization that calls are made in. */
  org?: string | undefined
  /** Where `ssh` connects to, where it is not the host of the address. */
  ssh?: { host?: string | undefined; port?: number | undefined } | undefined
}

interface Content {
  /** Address of the server that commands are for. */
  current?: string
  servers: Record<string, KnownServer>
}

export interface Store {
  file: string
  read(): Content
  /** Keeps a server, which commands are for from now on. */
  keep(server: KnownServer): void
  /** Forgets the credentials of a server. */
  forget(url: string): void
}

/**
 * Credentials, in a file that nobody else can read: `sallyport/credentials.json` under
 * XDG_CONFIG_HOME. @throws Failure where others can read it, or it is damaged
 */
export function openStore(environment: NodeJS.ProcessEnv, say: Say): Store {
  const folder = environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), '.config')
  const file = join(folder, 'sallyport', 'credentials.json')
  const store: Store = {
    file,
    read() {
      let text: string
      try {
        if (statSync(file).mode & 0o077)
          throw new Failure('failed', say('Others can read {{file}}: run chmod 600 on it', { file }))
        text = readFileSync(file, 'utf8')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { servers: {} }
        throw error
      }
      try {
        const content = JSON.parse(text) as Content
        return { ...content, servers: content.servers ?? {} }
      } catch {
        throw new Failure('failed', say('{{file}} is damaged: remove it and sign in again', { file }))
      }
    },
    keep(server) {
      const content = store.read()
      write(file, { current: server.url, servers: { ...content.servers, [server.url]: server } })
    },
    forget(url) {
      const content = store.read()
      const { credentials: _, ...rest } = content.servers[url] ?? { url }
      write(file, { ...content, servers: { ...content.servers, [url]: rest } })
    },
  }
  return store
}

/** At once: a command beside this one reads the old file or the new one. */
function write(file: string, content: Content): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.${process.pid}`
  writeFileSync(fresh, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  chmodSync(fresh, 0o600)
  renameSync(fresh, file)
}
