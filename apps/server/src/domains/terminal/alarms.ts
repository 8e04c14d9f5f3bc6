import { spoken } from '@sallyport/contract/names.ts'
import { z } from 'zod'
import type { Kernel } from '../../kernel/kernel.ts'
import { beginAlarm, endAlarms, notifySubscribers } from '../notifications/index.ts'
import { terminalTerminal } from './tables.ts'
import { alarmingFigures, type Silences, silencesNow } from './terminal.resource.ts'

const PREFIX = 'component:'
/** Commands from this risk level on are dangerous (docs/rules/terminal.md#command). */
const DANGEROUS = 5

/** Checks the components every few minutes, and takes reports of dangerous commands. */
export function registerAlarms(kernel: Kernel): void {
  kernel.jobs.schedule(
    { name: 'terminal.check_components', cron: '*/2 * * * *', title: 'Check the health of components' },
    () => checkComponents(kernel),
  )
  registerInsecureCommands(kernel)
}

/**
 * Notifies subscribers of new faults of a component: offline, or short of disk, memory or CPU. A
 * lasting fault is reported once.
 */
export async function checkComponents(kernel: Kernel): Promise<void> {
  const terminals = await kernel.db.select().from(terminalTerminal)
  const silence = await silencesNow(kernel.db)
  const alarms = terminals.flatMap((row) =>
    newsOf(row, silence).map((figure) => ({
      ...figure,
      component: spokenName(row),
      name: `${PREFIX}${row.id}:${figure.kind}`,
    })),
  )
  await endAlarms(
    kernel,
    PREFIX,
    alarms.map(({ name }) => name),
  )
  const fresh: typeof alarms = []
  for (const alarm of alarms) if (await beginAlarm(kernel, alarm.name)) fresh.push(alarm)
  if (!fresh.length) return
  await notifySubscribers(kernel, 'ServerPerformanceMessage', (say) => ({
    subject: say('Server performance alert'),
    paragraphs: fresh.map(({ component, kind, value }) => {
      const values = { component, value }
      switch (kind) {
        case 'offline':
          return say('{{component}} is offline.', values)
        case 'disk_used':
          return say('The disk of {{component}} is {{value}}% full.', values)
        case 'memory_used':
          return say('The memory of {{component}} is {{value}}% used.', values)
        default:
          return say('The load of {{component}} is {{value}}.', values)
      }
    }),
  }))
}

/** Figures of our own nodes are the system monitor's (domains/monitor), which looks at them for longer. */
const newsOf = (row: typeof terminalTerminal.$inferSelect, silence: Silences) =>
  alarmingFigures(row, silence).filter(({ kind }) => kind === 'offline' || !row.is_builtin)

/** A part of this server as people know it: by its machine, without the type before it. */
const spokenName = ({ name, is_builtin }: Pick<typeof terminalTerminal.$inferSelect, 'name' | 'is_builtin'>) =>
  is_builtin ? name.replace(/^\[\w+\]-/, '') : name

/** Tells subscribers that a session goes on although it can't be recorded any more. */
export async function alarmOfRecording(
  kernel: Kernel,
  session: { session: string; org_id: string; user?: string },
): Promise<void> {
  await notifySubscribers(
    kernel,
    'RecordingAlertMessage',
    (say) => ({
      subject: say('A session is not recorded'),
      paragraphs: [
        say('The recording of a session of {{user}} cannot go on. The session itself does, as the settings say.', {
          user: spoken(session.user ?? ''),
        }),
      ],
      link: { text: say('Open the session'), path: `/ui/terminal/sessions/${session.session}?oid=${session.org_id}` },
    }),
    session.org_id,
  )
}

const insecureCommand = z.object({
  input: z.string().max(10_000),
  asset: z.string().max(1024),
  user: z.string().max(1024),
  risk_level: z.coerce.number().int(),
  session: z.guid(),
  org_id: z.guid(),
})
export type InsecureCommand = z.infer<typeof insecureCommand>

/** Sends a message for each dangerous command; ignores the others. */
export async function alarmOfCommands(kernel: Kernel, commands: readonly InsecureCommand[]): Promise<void> {
  for (const { input, asset, user, session, org_id } of commands.filter(({ risk_level }) => risk_level >= DANGEROUS))
    await notifySubscribers(
      kernel,
      'CommandAlertMessage',
      (say) => ({
        subject: say('Dangerous command: {{command}}', { command: input.replace(/\s+/g, ' ').slice(0, 128) }),
        paragraphs: [
          say('{{user}} entered a dangerous command on {{asset}}:', { user: spoken(user), asset: spoken(asset) }),
          input.slice(0, 1024),
        ],
        link: { text: say('Open the session'), path: `/ui/terminal/sessions/${session}?oid=${org_id}` },
      }),
      org_id,
    )
}

/**
 * POST commands/insecure-command/: a component reports dangerous commands
 * (docs/rules/terminal.md#command).
 */
function registerInsecureCommands(kernel: Kernel): void {
  kernel.app.route({
    method: 'POST',
    url: '/api/v1/terminal/commands/insecure-command/',
    config: { access: ['component'], summary: 'Command: tell subscribers of dangerous ones' },
    handler: async ({ body }, reply) => {
      const sent = z.array(insecureCommand).max(1000).parse(body)
      await alarmOfCommands(kernel, sent)
      return reply.status(200).send()
    },
  })
}
