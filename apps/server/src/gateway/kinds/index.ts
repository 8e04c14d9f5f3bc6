import type { LiveSession } from '../session/live-session.ts'
import type { PermittedDatabases } from '../session/permitted-databases.ts'
import type { RequestBase } from '../session/session-request.ts'
import type { DesktopSession } from './desktop/desktop-session.ts'
import type { DesktopEnd, DesktopTarget } from './desktop/streams.ts'
import type { RequestSession } from './requests/request-session.ts'
import type { RequestEnd, RequestTarget } from './requests/streams.ts'
import type { StatementSession } from './statements/statement-session.ts'
import type { StatementEnd, StatementTarget } from './statements/streams.ts'
import type { TargetStream, TerminalEnd } from './terminal/streams.ts'
import type { TerminalSession } from './terminal/terminal-session.ts'

/**
 * The kinds of sessions, by what passes in them: what the person's side brings (`end`), what a
 * connector opens (`machine`), and the session between the two.
 */
export interface Kinds {
  terminal: { end: TerminalEnd; machine: TargetStream; session: TerminalSession }
  statements: { end: StatementEnd; machine: StatementTarget; session: StatementSession }
  requests: { end: RequestEnd; machine: RequestTarget; session: RequestSession }
  desktop: { end: DesktopEnd; machine: DesktopTarget; session: DesktopSession }
}

export type Kind = keyof Kinds

/** Request for a session of a kind. */
export type SessionRequest<K extends Kind> = RequestBase & { kind: K } & Kinds[K]['end']

/** A request on its way. */
export type SessionOpening<K extends Kind> = SessionRequest<K> & {
  databases: PermittedDatabases
  /** Aborts the start; the person sees its reason. */
  signal: AbortSignal
  /** Milliseconds of the system's clock. */
  now: () => number
  /** Milliseconds of a clock that nobody sets. */
  elapsed: () => number
}

export type AnySession = Kinds[Kind]['session'] & LiveSession
