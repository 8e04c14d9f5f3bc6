import { cleanup } from '@testing-library/react'
import { afterEach, beforeEach, vi } from 'vitest'
import { makeRouter } from '../app/router.tsx'
import { showRouter, signIn } from './harness.tsx'

/** For each test of a file: somebody who is signed in, with nothing remembered; afterwards all is gone. */
export function onWholeConsole(): void {
  beforeEach(() => {
    localStorage.clear()
    signIn()
    vi.stubGlobal('scrollTo', () => {})
  })
  afterEach(() => {
    cleanup()
    vi.unstubAllGlobals()
    history.replaceState(null, '', '/')
  })
}

/** Shows the console as it starts at an address. */
export function openConsole(address: string): void {
  history.replaceState(null, '', address)
  showRouter(makeRouter())
}
