import { beforeEach, expect, test } from 'vitest'
import { forgetUpload, keepUpload, keptUploads, wasKept } from './kept-uploads.ts'

beforeEach(() => localStorage.clear())
const upload = { to: '/m/a', size: 10, modified: 1 }

test('only the very same file for the same place goes on, and only for the person who sent it', () => {
  keepUpload('u1', upload)
  expect(wasKept('u1', upload)).toBe(true)
  expect(wasKept('u1', { ...upload, modified: 2 })).toBe(false)
  expect(wasKept('u1', { ...upload, to: '/m/b' })).toBe(false)
  expect(wasKept('u2', upload)).toBe(false)
  forgetUpload('u1', '/m/a')
  expect(keptUploads('u1')).toEqual([])
})

test('a number of them are kept, and what somebody else wrote there is left alone', () => {
  for (let at = 0; at < 300; at++) keepUpload('u1', { ...upload, to: `/m/${at}` })
  expect(keptUploads('u1').length).toBe(200)
  localStorage.setItem('file_uploads u1', '{"odd": 1}')
  expect(keptUploads('u1')).toEqual([])
})
