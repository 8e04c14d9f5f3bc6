import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { NewCommand } from '../../domains/terminal/commands/index.ts'
import { recordingStore } from '../../domains/terminal/recording/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Guard } from '../guard/guard.ts'
import { judge } from '../guard/judgement.ts'
import { DENY, RuleSet } from '../guard/rule-set.ts'
import { Journal } from '../journal/journal.ts'
import { SessionCommands } from '../recording/session-commands.ts'
import type { LiveSessionParts } from '../session/live-session.ts'
import type { Person } from '../session/person.ts'
import { commandRows, scratchSession } from './scratch-rows.ts'

/** Days sort before it, so nothing that goes through recordings by their day meets it. */
const FOLDER = 'capacity'
/** As an administrator might forbid them. */
const FORBIDDEN = [
  ...['rm -rf', 'mkfs', 'dd if=', 'shutdown', 'reboot', 'halt', 'init 0', 'userdel', 'passwd', 'visudo'],
  ...['chmod 777', 'chown -R', 'iptables -F', 'crontab -r', 'kill -9 1', 'DROP TABLE', 'DROP DATABASE', 'TRUNCATE'],
]

/** Where a measurement works: nothing of it stays. */
export interface Scratch {
  /** A new file in the folder in which this node makes recordings, on the same disk. */
  path(name: string): string
  /** Name in the store of recordings; one for each node, so that what a crash leaves is replaced. */
  stored(name: string): string
  /** Parts of a session that nobody has: its commands go through a journal of their own, and its rows are undone. */
  sessionParts(): Omit<LiveSessionParts, 'target' | 'recording' | 'onEnd'> & { guard: Guard; noteUnseen(): void }
  close(): Promise<void>
}

/** Throws what the disk throws. */
export async function openScratch(kernel: Kernel): Promise<Scratch> {
  const { config, nodes, app } = kernel
  const folder = dirname(await recordingStore(config).draft(`${FOLDER}-drafts-${nodes.id}/x`))
  await rm(folder, { recursive: true, force: true })
  const journal = await Journal.open<NewCommand>({
    path: join(folder, 'commands.journal'),
    store: (rows) => commandRows(kernel, rows),
    log: app.log,
  })
  const person: Person = {
    ...{ id: '', name: FOLDER, username: FOLDER, language: 'en' },
    ...{ remoteAddress: '127.0.0.1', loginFrom: 'ST' },
  }
  const guard = forbidding(FORBIDDEN)
  let files = 0
  return {
    path: (name) => join(folder, `${++files}-${name}`),
    stored: (name) => `${FOLDER}-${nodes.id}/${name.replace(/^\d+-/, '')}`,
    sessionParts() {
      const { id, org_id, user, asset, system_user } = scratchSession()
      return {
        id,
        orgId: org_id,
        person,
        log: app.log,
        commands: new SessionCommands(journal, { org_id, user, asset, system_user, session: id }),
        goesOnUnrecorded: () => false,
        noteUnseen: () => {},
        guard,
      }
    },
    async close() {
      await journal.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A guard that reads each line as those of people are read. */
function forbidding(texts: readonly string[]): Guard {
  const rules = new RuleSet(
    texts.map((content, at) => ({
      ...{ id: String(at), filter: FOLDER, filter_name: FOLDER, content, pattern: content },
      ...{ ignore_case: true, action: DENY, priority: 50 },
    })),
  )
  return {
    applies: true,
    judge(unit) {
      const { action } = judge(rules, unit.text, true)
      if (action !== 'allow') throw new Error('a command of the measurement is forbidden')
      return { action }
    },
  }
}
