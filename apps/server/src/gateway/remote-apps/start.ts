import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { RemoteProgram } from '../../domains/applications/index.ts'
import { settingsOf } from '../../domains/settings/index.ts'
import { sessionCarrier } from '../../domains/terminal/index.ts'
import { notFound } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { SessionRefusal } from '../session/refusal.ts'

/** The launcher has been started by then, or will not be. */
const VALID_MS = 2 * 60_000
/** Longest shell that a server of RDP takes, in characters (MS-RDPBCGR 2.2.1.11.1.1). */
const MAX_SHELL = 255
/** Where the launcher of `deploy/windows` lies on hosts of remote apps. */
const LAUNCHER = 'C:\\Program Files\\Sallyport\\start-app.ps1'
/** What nobody may smuggle into a line that Windows reads. */
const UNSAFE = /["\r\n\0]/

const wantedSchema = z.object({ ticket: z.string().min(1).max(64) })
const parameters = z.object({ id: z.guid() })

/** Programs that wait for their launcher: by session, with the mark of its ticket. */
const waiting = new WeakMap<Kernel, Map<string, { mark: string; program: RemoteProgram; until: number }>>()

function waitingOf(kernel: Kernel) {
  const known = waiting.get(kernel) ?? new Map()
  waiting.set(kernel, known)
  return known as NonNullable<ReturnType<(typeof waiting)['get']>>
}

const markOf = (ticket: string) => createHash('sha256').update(ticket).digest('hex')

/**
 * What a session of a remote app runs instead of a desktop. A program that has a password is started
 * by the launcher, which fetches it with a ticket that works once: no password stands in a line that
 * others on the machine can read. Throws SessionRefusal where that can't be.
 */
export function shellOf(kernel: Kernel, sessionId: string, program: RemoteProgram): string {
  const shell = program.password ? launcherOf(kernel, sessionId, program) : directLine(program)
  if (shell.length > MAX_SHELL) throw new SessionRefusal('The line that starts this program is too long')
  return shell
}

/** The program with where it leads, as its own arguments have it. */
function directLine({ type, path, values }: RemoteProgram): string {
  const { target = '', cmdline = '' } = values
  if (UNSAFE.test(path) || UNSAFE.test(target) || /[\r\n\0]/.test(cmdline))
    throw new SessionRefusal('The path or the address of this program holds characters that cannot be in a line')
  const addressed = target && (type === 'vmware_client' ? `-s "${target}"` : `"${target}"`)
  return [`"${path}"`, type === 'custom' ? cmdline : '', addressed].filter(Boolean).join(' ')
}

function launcherOf(kernel: Kernel, sessionId: string, program: RemoteProgram): string {
  const site = String(settingsOf(kernel).get('SITE_URL') ?? '').replace(/\/+$/, '')
  if (!site || UNSAFE.test(site))
    throw new SessionRefusal('A remote app with a password needs the setting Site URL, where its launcher asks')
  const ticket = randomBytes(18).toString('base64url')
  const all = waitingOf(kernel)
  const now = performance.now()
  for (const [id, { until }] of all) if (until < now) all.delete(id)
  all.set(sessionId, { mark: markOf(ticket), program, until: now + VALID_MS })
  return `powershell.exe -NoProfile -ExecutionPolicy RemoteSigned -File "${LAUNCHER}" ${site} ${sessionId} ${ticket}`
}

/**
 * `POST {tg}/remote-apps/{session}/start/` with `ticket`: the program of that session with what it is
 * to be filled in with; once, within two minutes of the session's beginning.
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
      if (!one || one.until < performance.now() || one.mark !== markOf(ticket)) throw notFound()
      all.delete(id)
      const { type, path, values, username, password } = one.program
      return { type, path, ...values, username, password }
    },
  })
}
