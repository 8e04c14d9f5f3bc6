import { msg } from '../../../lib/i18n.ts'

/** What lines of a group have in common (apps/server/src/gateway/guard/corpus.jsonl). */
export const GROUPS: Readonly<Record<string, string>> = {
  'Several commands in one line': msg('Several commands in one line'),
  'Inside of another construct': msg('Inside of another construct'),
  'Programs that run others': msg('Programs that run others'),
  Spelling: msg('Spelling'),
  'Read otherwise by another shell': msg('Read otherwise by another shell'),
  'Variables and output put together': msg('Variables and output put together'),
  'Scripts given to a shell': msg('Scripts given to a shell'),
  'Keys of line editors': msg('Keys of line editors'),
  'Nested or grown': msg('Nested or grown'),
  'Not seen by a rule that denies': msg('Not seen by a rule that denies'),
  'Got around an allow-list': msg('Got around an allow-list'),
}
