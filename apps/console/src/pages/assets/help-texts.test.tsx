import { domain } from '@sallyport/contract/resources/assets/domain.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { cleanup, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ListPage } from '../../generic/list/ListPage.tsx'
import { metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { domainPages } from './domain.page.tsx'
import { SystemUserList } from './SystemUserList.page.tsx'

beforeEach(() => signIn())
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('[A1.22 A1.23 A1.24 A1.25] the lists of system users and domains say what those are, before there is any', async () => {
  serve(({ method, path }) =>
    method === 'OPTIONS'
      ? { body: metadataFor(path.includes('domains') ? domain : systemUser) }
      : { body: { count: 0, next: null, previous: null, results: [] } },
  )
  show(<SystemUserList title="System users" />, '/', '/')
  const words = await screen.findByText(/^System users are the accounts by which people log in to assets\./)
  expect(words.textContent).toContain('Admin users are privileged accounts that exist there already.')
  cleanup()
  show(<ListPage pages={domainPages} base="Domain" title="Domains" />, '/', '/')
  await screen.findByText(/what is in it is reached through one of its gateways\.$/)
})
