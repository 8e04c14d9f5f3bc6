import type { NoticeCode } from '../../session/notice.ts'
import type { ServerError } from './packets.ts'

/**
 * Errors of Sallyport in a server's place
 * (https://mariadb.com/kb/en/mariadb-error-code-reference/).
 */
export const ERROR = {
  accessDenied: { number: 1045, state: '28000' },
  commandDenied: { number: 1142, state: '42000' },
  interrupted: { number: 1317, state: '70100' },
  outOfOrder: { number: 1156, state: '08S01' },
  shutdown: { number: 1053, state: '08S01' },
  tooManyConnections: { number: 1040, state: '08004' },
  unknownStatement: { number: 1243, state: 'HY000' },
} as const satisfies Record<string, Omit<ServerError, 'message'>>

const OF_REFUSALS: { [C in NoticeCode]?: Omit<ServerError, 'message'> } = {
  withdrawn: ERROR.interrupted,
  unprepared: ERROR.unknownStatement,
}

/** Error for a statement that is refused. */
export const errorOfRefusal = (why: NoticeCode): Omit<ServerError, 'message'> => OF_REFUSALS[why] ?? ERROR.commandDenied
