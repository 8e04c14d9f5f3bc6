/** The prompt of a database in a web terminal, on a whole server with a real database. */
import type { Caller } from '../../../test/server.ts'
import type { ApplicationFixture } from '../listeners/database/application-fixture.ts'
import { openTerminal, type Terminal } from '../listeners/web/terminal-fixture.ts'

export interface ReplFixture {
  /** A terminal at its first prompt, of the person's unless said otherwise. */
  opened(options?: { cols?: number; account?: string }): Promise<Terminal>
  /** Looks on. */
  watched(session: string, caller: Caller): Promise<Terminal>
  commands(terminal: Terminal): Promise<{ input: string; output: string; risk: number }[]>
  /** A rule about statements that match, for the person. Answers how it goes. */
  rule(content: string, rule: Record<string, unknown>): Promise<() => Promise<unknown>>
  closeTerminals(): void
}

export function replFixture(
  { server, person, target, systemUsers, created }: ApplicationFixture,
  { type, prompt }: { type: string; prompt: string },
): ReplFixture {
  const terminals: Terminal[] = []
  const open = async (caller: Caller, options: { type: string; target: string; systemUser: string; cols?: number }) => {
    const terminal = await openTerminal(server.url, caller, options)
    terminals.push(terminal)
    return terminal
  }
  return {
    async opened({ cols = 80, account = Object.keys(systemUsers)[0] ?? '' } = {}) {
      const systemUser = systemUsers[account] as string
      const terminal = await open(person, { type, target: target.id, systemUser, cols })
      await terminal.see(prompt)
      return terminal
    },
    watched: (session, caller) => open(caller, { type: 'shareroom', target: session, systemUser: '' }),
    async commands({ session }) {
      const { body } = await server.admin.get(`/api/v1/terminal/commands/?session_id=${session?.id}&order=timestamp`)
      return (body as { input: string; output: string; risk_level: number }[]).map(({ input, output, risk_level }) => ({
        input,
        output,
        risk: risk_level,
      }))
    },
    async rule(content, rule) {
      const filter = await created('/api/v1/assets/cmd-filters/', { name: `of ${content}`, users: [person.id] })
      await created(`/api/v1/assets/cmd-filters/${filter}/rules/`, { filter, type: 'regex', content, ...rule })
      return () => server.admin.delete(`/api/v1/assets/cmd-filters/${filter}/`)
    },
    closeTerminals() {
      for (const terminal of terminals.splice(0)) terminal.close()
    },
  }
}
