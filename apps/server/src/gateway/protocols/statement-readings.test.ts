import { APPLICATION_TYPES, typesOf } from '@sallyport/contract/resources/applications/application-types.ts'
import { expect, test } from 'vitest'
import { readingsOf } from './statement-readings.ts'

test.each(typesOf('db'))('[A1.05] a command that is tried in %s is judged as the database reads it, too', (type) => {
  const hidden = type === 'redis' ? 'flushall  "now"' : 'drop /* hidden */ table people'
  const read = type === 'redis' ? 'flushall  now' : 'drop table people'
  expect(readingsOf(APPLICATION_TYPES[type].protocol, hidden)).toContain(read)
})
