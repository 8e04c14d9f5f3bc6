import type { Agent } from 'node:http'
import type { Notice } from '../../session/notice.ts'

/** One thing that a client asks an API for. */
export interface ApiRequest {
  /** As the guard judges and the recording stores it: verb, resource, name, namespace. */
  text: string
  /** Other readings of it: rulings on these count for it. */
  readings: readonly string[]
  /** The namespace that it is about; empty where it is about none. */
  namespace: string
  /** Why it is refused whatever the rules say. */
  forbidden?: Notice | undefined
}

/** Outcome of a request. */
export interface RequestOutcome {
  /** HTTP's; undefined when the server did not answer. */
  status: number | undefined
  /** Message of a failure. */
  error?: string | undefined
}

/** An API as the target of a session: where requests are sent, and what makes them the account's. */
export interface RequestTarget {
  /** Connections to the server that is meant, and to no other. */
  agent: Agent
  /** `host`, and the other parts in front of every path. */
  host: string
  basePath: string
  /** Headers that prove the account; none where the connections do. */
  credentials: Readonly<Record<string, string>>
  /**
   * Answer to a question of our own. Throws SessionRefusal with its words when it refuses, SshError
   * when it can't be reached, and the signal's reason.
   */
  ask(path: string, question?: ApiQuestion): Promise<unknown>
  /** Requests have their own back-pressure. */
  pause(): void
  resume(): void
  close(): void
}

export interface ApiQuestion {
  method?: 'GET' | 'POST' | 'DELETE'
  body?: unknown
  accept?: string
  signal?: AbortSignal
}

/** The person's side of a session. */
export interface RequestOwner {
  /** The client is notified with its next answer, if at all. */
  tell(what: Notice): void
}

/** A person's side of a session of this kind. */
export interface RequestEnd {
  owner: RequestOwner
  /** Name that the client gives itself. */
  client: string
}
