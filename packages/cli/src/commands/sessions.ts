import { type Session, session } from '@sallyport/contract/resources/terminal/session.ts'
import { type Command, textOf } from '../command.ts'
import { Failure } from '../exit.ts'
import { table } from '../table.ts'

/** Rows where nothing is said. */
const STANDARD = 20

export const sessions: Command = {
  does: 'list sessions, the latest first, for those who may audit',
  usage: '[WORD …] [--live] [--user NAME] [--asset NAME] [--limit 20]',
  options: {
    live: { type: 'boolean', short: 'l', does: 'those alone that are under way' },
    user: { type: 'string', short: 'u', does: 'of one person, as the list writes the name: Alice(alice)' },
    asset: { type: 'string', short: 'a', does: 'on one machine, as the list writes it: web-1(10.0.0.1)' },
    limit: { type: 'string', short: 'n', does: 'how many' },
  },
  async run(context, given) {
    const { say } = context
    const limit = Number(textOf(given, 'limit') ?? STANDARD)
    if (!Number.isInteger(limit) || limit < 1) throw new Failure('usage', say('--limit wants a number'))
    const query = {
      search: given.words.join(' '),
      user: textOf(given, 'user'),
      asset: textOf(given, 'asset'),
      is_finished: given.values.live ? 'false' : undefined,
      limit,
    }
    const { results } = await context.client().resource(session).page(query)
    context.answer(results, () => table([HEAD.map((word) => say(word)), ...results.map(lineOf)]))
    return undefined
  },
}

const HEAD = ['ID', 'STARTED', 'USER', 'TARGET', 'ACCOUNT', 'PROTOCOL', 'COMMANDS', 'RECORDING']

const lineOf = (row: Session): string[] => [
  row.id,
  row.date_start,
  row.user,
  row.asset,
  row.system_user,
  row.protocol,
  String(row.command_amount),
  row.is_finished ? (row.can_replay ? '✓' : '-') : '…',
]
