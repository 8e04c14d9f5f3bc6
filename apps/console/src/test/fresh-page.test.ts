import { expect, test, vi } from 'vitest'
import { api, onApi } from '../lib/api.ts'
import { queryClient } from '../lib/query.ts'
import { session } from '../session/session.ts'
import { GatewayLine } from './gateway-line.ts'
import { serve, signIn } from './harness.tsx'

/** As it is run before the next file: once more, with the modules that this one has used. */
const nextFile = async () => {
  for (const name of ['fresh-page', 'fresh-modules']) await import(/* @vite-ignore */ `./${name}.ts?next`)
}

test('a file finds nothing of the one before it', async () => {
  const answered = vi.fn()
  signIn()
  onApi({ answered })
  queryClient.setQueryData(['/api/v1/users/users/'], [])
  vi.stubEnv('NODE_ENV', 'production')
  document.body.style.overflow = 'hidden'
  new GatewayLine()
  await nextFile()
  expect(() => session()).toThrow()
  expect(queryClient.getQueryCache().getAll()).toEqual([])
  expect(process.env.NODE_ENV).toBe('test')
  expect(document.body.getAttributeNames()).toEqual([])
  expect(GatewayLine.opened).toEqual([])
  serve(() => ({ body: {} }))
  await api.get('/api/v1/users/users/')
  expect(answered).not.toHaveBeenCalled()
})
