import { expect, test } from 'vitest'
import { Masking } from './masked.ts'

/** Shown output for these pieces, and where the last was held. */
function shown(secrets: string[], pieces: readonly Buffer[]): string {
  const masking = new Masking(secrets)
  return Buffer.concat([...pieces.map((piece) => masking.take(piece)), masking.rest()]).toString()
}

test('a secret is not shown, wherever its pieces end', () => {
  const secret = 'pässwört-1'
  const text = Buffer.from(`a ${secret}${secret} pä ${secret.slice(0, 5)}`)
  for (let at = 0; at <= text.length; at++)
    expect(shown([secret], [text.subarray(0, at), text.subarray(at)])).toBe('a ************ pä pässw')
  expect(
    shown(
      [secret],
      [...text].map((byte) => Buffer.from([byte])),
    ),
  ).toBe('a ************ pä pässw')
})

test('the longer of two secrets is masked, and held output is shown in the end', () => {
  expect(shown(['secret', 'secret-2'], [Buffer.from('secret-'), Buffer.from('2 secret-3 secre')])).toBe(
    '****** ******-3 secre',
  )
  const both = ['prod2024', 'prod2024!db']
  const text = Buffer.from('prod2024!db prod2024 prod2024!d')
  for (let at = 0; at <= text.length; at++)
    expect(shown(both, [text.subarray(0, at), text.subarray(at)])).toBe('****** ****** ******!d')
  // One that begins within another is no reason to show that.
  expect(shown(['word-1', '1-and-more'], [Buffer.from('word-1'), Buffer.from('-and')])).toBe('******-and')
  expect(shown(['abc'], [Buffer.from('abc')])).toBe('abc')
})
