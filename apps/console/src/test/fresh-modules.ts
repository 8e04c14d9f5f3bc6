/**
 * Run before each file whose modules have served another one: nobody is signed in, nothing was read, and nothing waits
 * for the answers to this file's calls.
 */
import { GatewayLine } from './gateway-line.ts'

// Files that are about no page load none of this.
if ('document' in globalThis) await forget()

async function forget(): Promise<void> {
  const { cleanup } = await import('@testing-library/react')
  const { onlineManager } = await import('@tanstack/react-query')
  const { onApi, setRequestOrg } = await import('../lib/api.ts')
  const { setCatalogue } = await import('../lib/i18n.ts')
  const { queryClient } = await import('../lib/query.ts')
  const { forgetTabs } = await import('../navigation/open-tabs.ts')
  const { setRoutes } = await import('../navigation/routes.ts')
  const { setSession } = await import('../session/session.ts')
  cleanup()
  onApi({
    signedOut: () => {},
    showError: () => {},
    // Else an answer begins the keep-alive, which calls half a minute later.
    answered: () => {},
    reached: () => {},
    away: () => {},
    proveSecondFactor: async () => false,
  })
  setRequestOrg(undefined)
  setCatalogue({})
  setRoutes([])
  forgetTabs()
  onlineManager.setOnline(true)
  queryClient.clear()
  setSession(undefined)
  GatewayLine.opened.length = 0
}
