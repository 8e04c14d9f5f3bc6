import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { writeCookie } from '../lib/cookies.ts'
import { serve } from '../test/harness.tsx'

afterEach(() => {
  cleanup()
  vi.doUnmock('./router.tsx')
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test('[B8.09] when the routes cannot be made the page says so, with the reason and a way to try again', async () => {
  document.body.innerHTML = '<div id="root"></div>'
  writeCookie('csrftoken', 'token', 1)
  writeCookie('django_language', 'en', 1)
  vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.doMock('./router.tsx', async (original) => ({
    ...(await original<typeof import('./router.tsx')>()),
    makeRouter: () => {
      throw new Error('no page for LabelList')
    },
  }))
  serve(({ path }) => ({
    body:
      path === '/api/v1/settings/public/'
        ? { data: {} }
        : { id: 'u1', name: 'Ada', username: 'ada', role: 'Admin', current_org_roles: [], admin_or_audit_orgs: [] },
  }))
  await import('./main.tsx')
  const notice = await screen.findByRole('alert')
  expect(notice.textContent).toContain('The console could not start.')
  expect(notice.textContent).toContain('no page for LabelList')
  screen.getByRole('link', { name: 'Reload' })
})
