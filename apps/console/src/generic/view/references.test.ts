import { resources } from '@sallyport/contract/resources/all-fixture.ts'
import { expect, test } from 'vitest'
import { REFERENCES } from './references.ts'

test('[B7.31] pickers read the list of the resource they name', () => {
  const paths = Object.fromEntries(resources.map(({ name, path }) => [name, path]))
  for (const [name, { path }] of Object.entries(REFERENCES)) expect(path, name).toBe(paths[name])
})
