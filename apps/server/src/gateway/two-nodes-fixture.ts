/** Two servers of one installation, on one database, with data directories of their own. */

import type pg from 'pg'
import { createTestDatabase } from '../../test/database.ts'
import { type Caller, openTestServer, type TestServer } from '../../test/server.ts'
import {
  openTerminal,
  openTerminalFixture,
  type Terminal,
  type TerminalFixture,
  type TerminalOptions,
} from './listeners/web/terminal-fixture.ts'

export interface TwoNodes extends TerminalFixture {
  /** The other one; `server` is the first. */
  other: TestServer
  /** Connection to their database, for a third. */
  connection: pg.ClientConfig
  /** As `open`, at the other one. */
  openOther(caller: Caller, options?: Partial<TerminalOptions>): Promise<Terminal>
}

export async function openTwoNodes(
  environment: Record<string, string> = {},
  ofOther: Record<string, string> = {},
): Promise<TwoNodes> {
  const database = await createTestDatabase()
  const first = await openTerminalFixture({ SALLYPORT_NODE_NAME: 'one', ...environment }, database)
  const stays = { ...database, drop: async () => {} }
  const other = await openTestServer({ SALLYPORT_NODE_NAME: 'two', ...environment, ...ofOther }, stays)
  return {
    ...first,
    other,
    connection: database.connection,
    openOther: (caller, options = {}) =>
      openTerminal(other.url, caller, {
        type: 'ssh',
        target: first.asset,
        systemUser: first.systemUser,
        ...options,
      }),
    async close() {
      await other.close()
      await first.close()
    },
  }
}
