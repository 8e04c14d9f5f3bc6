// @vitest-environment node
import { expect, test } from 'vitest'
import { plainOutput } from './plain-output.ts'

test('[A2.06] task output reads as plain text: no colors, one line end, a lone carriage return starts the line over', () => {
  expect(plainOutput('..\r\n\x1b[32mok\x1b[0m: web-1\r\n 10%\r 100%\r\ndone')).toBe('..\nok: web-1\n 100%\ndone')
})
