/** Sessions of database clients: statements with their outcomes, which are read, not played. */
import type { Session } from '@sallyport/contract/resources/terminal/session.ts'
import { tabOf } from '../../generic/cells/count-link.tsx'

/** Whether a client of a database brought it; a database in the web terminal is played like any terminal. */
export const isOfStatements = ({ login_from }: Pick<Session, 'login_from'>): boolean => login_from === 'DT'

/** Where its statements are in time. */
export const timeLineOf = tabOf('SessionDetail', 'Command')
