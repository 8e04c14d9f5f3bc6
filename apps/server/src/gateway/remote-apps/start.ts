import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { RemoteProgram } from '../../domains/applications/index.ts'
import { settingsOf } from '../../domains/settings/index.ts'
import { sessionCarrier } from '../../domains/terminal/index.ts'
import { inBackground } from '../../kernel/background.ts'
import { notFound } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { LiveSession } from '../session/live-session.ts'
import { SessionRefusal } from '../session/refusal.ts'

/** The launcher has been started by then, or will not be. */
const VALID_MS = 2 * 60_000
/** Longest shell that a server of RDP takes, in characters (MS-RDPBCGR 2.2.1.11.1.1). */
const MAX_SHELL = 255
/** Path of the launcher of `deploy/windows` on hosts of remote apps. */
const LAUNCHER = 'C:\\Program Files\\Sallyport\\start-app.ps1'
/** Address that a launcher asks: a password goes over that line. Nothing in it ends an argument. */
const SITE = /^https:\/\/[\w.:[\]~%/-]+$/i
/** Characters that nobody may smuggle into a line that Windows reads. */
const UNSAFE = /["\r\n\0]/

const wantedSchema = z.object({ ticket: z.string().min(1).max(64) })
const parameters = z.object({ id: z.guid() })

/** A program that waits for its launcher. */
interface Waiting {
  /** Mark of its ticket. */
  mark: string
  program: RemoteProgram
  /** Its session, once that has come about: a machine may start the launcher before. */
  live?: Pick<LiveSession, 'isOver'>
}

/** By session. */
const waiting = new WeakMap<Kernel, Map<string, Waiting>>()

function waitingOf(kernel: Kernel): Map<string, Waiting> {
  const known = waiting.get(kernel) ?? new Map<string, Waiting>()
  waiting.set(kernel, known)
  return known
}

/** How the program of a session is started. */
export interface RemoteStart {
  /** Program that runs there instead of a desktop. */
  shell: string
  /** The session has come about: its ticket ends with it. */
  belongsTo(live: Pick<LiveSession, 'isOver' | 'ended'>): void
  /** There will be no session: its ticket is worth nothing any more. */
  forget(): void
}

const markOf = (ticket: string) => createHash('sha256').update(ticket).digest('hex')

/**
 * Program of a remote app's session instead of a desktop. A program that has a password is started
 * by the launcher, which fetches it with a ticket that works once: no password is in a line that
 * others on the machine can read. Throws SessionRefusal where that can't be.
 */
export function remoteStart(kernel: Kernel, sessionId: string, program: RemoteProgram): RemoteStart {
  if (!program.password) return { shell: fitting(directLine(program)), belongsTo() {}, forget() {} }
  const site = settingsOf(kernel).get('SITE_URL')
  if (!SITE.test(site))
    throw new SessionRefusal(
      'A remote app with a password needs a Site URL that begins with https://: its launcher fetches the password there',
    )
  const ticket = randomBytes(18).toString('base64url')
  const shell = fitting(
    `powershell.exe -NoProfile -ExecutionPolicy RemoteSigned -File "${LAUNCHER}" ${site} ${sessionId} ${ticket}`,
  )
  const all = waitingOf(kernel)
  // Nothing but this keeps the password.
  all.set(sessionId, { mark: markOf(ticket), program })
  const forget = () => void all.delete(sessionId)
  setTimeout(forget, VALID_MS).unref()
  return {
    shell,
    belongsTo(live) {
      const one = all.get(sessionId)
      if (one) one.live = live
      inBackground(live.ended.then(forget))
    },
    forget,
  }
}

function fitting(shell: string): string {
  if (shell.length > MAX_SHELL) throw new SessionRefusal('The line that starts this program is too long')
  return shell
}

/** As CommandLineToArgvW reads it: one backslash before the quote at the end would make it part of the text. */
const quoted = (text: string) => `"${text.replace(/\\+$/, '$&$&')}"`

/** The program with where it leads, as its own arguments have it. */
function directLine({ type, path, values }: RemoteProgram): string {
  const { target = '', cmdline = '' } = values
  if (UNSAFE.test(path) || UNSAFE.test(target) || /[\r\n\0]/.test(cmdline))
    throw new SessionRefusal('The path or the address of this program holds characters that cannot be in a line')
  const addressed = target && (type === 'vmware_client' ? `-s ${quoted(target)}` : quoted(target))
  return [quoted(path), type === 'custom' ? cmdline : '', addressed].filter(Boolean).join(' ')
}

/**
 * `POST {tg}/remote-apps/{session}/start/` with `ticket`: the program of that session with what it is
 * to be filled in with; once, within two minutes of the session's beginning, while it lasts.
 */
export function registerRemoteAppStart(kernel: Kernel): void {
  kernel.app.route({
    method: 'POST',
    url: '/koko/remote-apps/:id/start/',
    config: {
      access: ['anonymous'],
      summary: 'Remote app: what its launcher starts, for a ticket',
      carriedBy: async ({ params }) => {
        const node = await sessionCarrier(kernel, (params as { id: string }).id)
        return node && { nodes: [node], unreachable: 'refuse' }
      },
    },
    handler: async ({ params, body }) => {
      const { id } = parameters.parse(params)
      const { ticket } = wantedSchema.parse(body)
      const all = waitingOf(kernel)
      const one = all.get(id)
      if (!one || one.live?.isOver || one.mark !== markOf(ticket)) throw notFound()
      all.delete(id)
      const { type, path, values, username, password } = one.program
      return { type, path, ...values, username, password }
    },
  })
}
