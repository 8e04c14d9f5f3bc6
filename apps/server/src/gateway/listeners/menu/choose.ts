import { ACTION_BITS } from '@sallyport/contract/actions.ts'
import type { Target } from '@sallyport/contract/target.ts'
import { type UsableSystemUser, usableSystemUsers } from '../../../domains/perms/index.ts'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { givesKind } from '../../connectors/index.ts'
import type { Kind } from '../../kinds/index.ts'
import { firstColumns, plainText } from '../../prompt/plain-text.ts'
import { drawTable } from '../../prompt/table.ts'
import type { Person } from '../../session/person.ts'
import type { GrantedTarget } from '../../targets/granted-list.ts'
import { grantedLists } from '../../targets/session-families.ts'
import { LineEditor } from './line-editor.ts'
import { drawTargets } from './target-page.ts'
import type { MenuTerminal } from './terminal-line.ts'

/** Target and system user of a connection. */
export interface ConnectionChoice {
  target: Target
  systemUserId: string
}

/** A target that a direct name matches, with the matching system users. */
export interface DirectHit {
  granted: GrantedTarget
  systemUsers: UsableSystemUser[]
}

/** Several matches, with the columns of their list. */
export interface DirectHits {
  columns: readonly string[]
  hits: DirectHit[]
}

/**
 * Meaning of a direct name. The notice, in the person's language, says what was not found or, to
 * people without a terminal, that they must choose.
 */
export type DirectAnswer =
  | { found: 'one'; choice: ConnectionChoice }
  | { found: 'none'; notice: string }
  | ({ found: 'several'; notice: string } & DirectHits)

/** Most targets of one name to consider: the same address may be in use in many networks. */
const MAX_HITS = 100
/** Most characters of a client's input to repeat to the person. */
const MAX_SHOWN = 100
const LEAVE = ['q', 'quit', 'exit']
const BACK = ['b', 'back', ...LEAVE]

/**
 * System users that the person may connect as, by name; undefined when the target is inactive or
 * not granted. Those that give no session of the kind, a terminal unless said otherwise, are left out
 * if there are others.
 */
export async function systemUsersFor(
  kernel: Kernel,
  person: Person,
  target: Target,
  kind: Kind = 'terminal',
): Promise<UsableSystemUser[] | undefined> {
  const usable = await usableSystemUsers(kernel.db, { subject: { userId: person.id }, orgId: undefined }, target)
  const connectable = usable?.filter(({ mask }) => mask & ACTION_BITS.connect)
  const fitting = connectable?.filter(({ protocol }) => givesKind(protocol, kind))
  return fitting?.length ? fitting : connectable
}

/** Those to offer first: all with the lowest priority number. */
export function preferred(systemUsers: readonly UsableSystemUser[]): UsableSystemUser[] {
  const lowest = Math.min(...systemUsers.map(({ priority }) => priority))
  return systemUsers.filter(({ priority }) => priority === lowest)
}

/**
 * Meaning of `user@systemuser@asset` for this person: granted targets by address, name or id; and
 * the system users granted there with that user name (or the person's own, where they take that),
 * else with that name or id. The targets are those that sessions of the kind can lead to, terminals
 * unless said otherwise. Permission is checked again when connecting.
 */
export async function resolveDirect(
  kernel: Kernel,
  person: Person,
  wanted: { systemUser: string; asset: string },
  kind?: Kind,
): Promise<DirectAnswer> {
  const { language } = person
  const values = { asset: shown(wanted.asset), systemUser: shown(wanted.systemUser) }
  const none = (notice: string): DirectAnswer => ({ found: 'none', notice })
  const { columns, targets } = await grantedByName(kernel, person, wanted.asset, kind)
  if (!targets.length) return none(translate(language, 'You were granted no asset {{asset}}', values))
  const active = targets.filter(({ isActive }) => isActive)
  if (!active.length) return none(translate(language, 'The asset {{asset}} is inactive', values))
  const hits: DirectHit[] = []
  for (const granted of active) {
    const systemUsers = named(
      wanted.systemUser,
      (await systemUsersFor(kernel, person, granted.target, kind)) ?? [],
      person,
    )
    if (systemUsers.length) hits.push({ granted, systemUsers })
  }
  const [hit, another] = hits
  if (!hit) return none(translate(language, 'You were granted no system user {{systemUser}} on {{asset}}', values))
  const [systemUser, otherUser] = hit.systemUsers
  if (systemUser && !another && !otherUser)
    return { found: 'one', choice: { target: hit.granted.target, systemUserId: systemUser.id } }
  return {
    found: 'several',
    columns,
    hits,
    notice: translate(language, '{{systemUser}}@{{asset}} means several: name them by their ids', values),
  }
}

/** Matches in the first list that has any. */
async function grantedByName(kernel: Kernel, person: Person, name: string, kind?: Kind) {
  for (const list of grantedLists(undefined, kind)) {
    const { targets } = await list.find(kernel, { userId: person.id, named: name, kind, limit: MAX_HITS })
    if (targets.length) return { columns: list.columns, targets }
  }
  return { columns: [], targets: [] }
}

const shown = (text: string) => plainText(text).slice(0, MAX_SHOWN)

function named(name: string, systemUsers: readonly UsableSystemUser[], person: Person): UsableSystemUser[] {
  const byUsername = systemUsers.filter((one) => usernameOf(one, person) === name)
  return byUsername.length
    ? byUsername
    : systemUsers.filter((one) => one.name === name || one.id === name.toLowerCase())
}

const usernameOf = ({ username_same_with_user, username }: UsableSystemUser, person: Person) =>
  username_same_with_user ? person.username : username

/**
 * A list to choose from: shows the table and asks for a number until there is a valid one.
 * Undefined when the person leaves.
 */
async function chooseRow(
  { lines, terminal, language }: { lines: LineEditor; terminal: MenuTerminal; language: Language },
  { title, table, count, leave }: { title: string; table: string; count: number; leave: readonly string[] },
): Promise<number | undefined> {
  terminal.write(`${table}${firstColumns(title, terminal.size().cols - 1)}\r\n`)
  while (true) {
    const answer = await lines.read('ID> ', { remember: false })
    if (typeof answer === 'string' || leave.includes(answer.text.trim().toLowerCase())) return undefined
    const text = answer.text.trim()
    const number = /^\d{1,9}$/.test(text) ? Number(text) : 0
    if (number >= 1 && number <= count) return number - 1
    if (text)
      terminal.write(
        `${translate(language, 'There is no number {{number}} in this list', { number: shown(text) })}\r\n`,
      )
  }
}

/** Lets the person choose one of several system users; undefined when they go back. */
export async function chooseSystemUser(
  lines: LineEditor,
  terminal: MenuTerminal,
  person: Person,
  { granted, systemUsers }: DirectHit,
): Promise<UsableSystemUser | undefined> {
  if (systemUsers.length === 1) return systemUsers[0]
  const { language } = person
  const header = ['ID', 'Name', 'Username'].map((title) => translate(language, title))
  const rows = systemUsers.map((one, index) => [
    String(index + 1),
    plainText(one.name),
    plainText(usernameOf(one, person)),
  ])
  const chosen = await chooseRow(
    { lines, terminal, language },
    {
      title: translate(language, 'Enter the number of a system user for {{asset}}, b: back', {
        asset: plainText(granted.name),
      }),
      table: drawTable(header, rows, terminal.size().cols),
      count: systemUsers.length,
      leave: BACK,
    },
  )
  return chosen === undefined ? undefined : systemUsers[chosen]
}

/**
 * Asks at a terminal which match of a direct name is meant: the target first, then the system user.
 * Takes the terminal's input until it is done.
 */
export class TargetChoice {
  readonly #lines: LineEditor
  readonly #terminal: MenuTerminal
  readonly #person: Person

  constructor({ person, terminal }: { person: Person; terminal: MenuTerminal }) {
    this.#person = person
    this.#terminal = terminal
    this.#lines = new LineEditor(terminal)
  }

  input(bytes: Buffer): void {
    this.#lines.input(bytes)
  }
  resize(): void {
    this.#lines.resize()
  }
  close(): void {
    this.#lines.close()
  }

  /** Undefined when the person leaves (q, quit, exit, Ctrl-C, Ctrl-D) or the terminal is gone. */
  async choose(found: DirectHits): Promise<ConnectionChoice | undefined> {
    const hit = found.hits.length === 1 ? found.hits[0] : await this.#chooseHit(found)
    const systemUser = hit && (await chooseSystemUser(this.#lines, this.#terminal, this.#person, hit))
    return systemUser && { target: hit.granted.target, systemUserId: systemUser.id }
  }

  async #chooseHit({ columns, hits }: DirectHits): Promise<DirectHit | undefined> {
    const { language } = this.#person
    const chosen = await chooseRow(
      { lines: this.#lines, terminal: this.#terminal, language },
      {
        title: translate(language, 'Several assets have this name. Enter the number of one, q: leave'),
        table: drawTargets(
          { columns, targets: hits.map(({ granted }) => granted) },
          language,
          this.#terminal.size().cols,
        ),
        count: hits.length,
        leave: LEAVE,
      },
    )
    return chosen === undefined ? undefined : hits[chosen]
  }
}
