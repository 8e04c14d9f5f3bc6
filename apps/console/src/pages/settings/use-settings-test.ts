import { useState } from 'react'
import { api, errorText } from '../../lib/api.ts'

/** How a test of settings went, in the server's words. */
export interface TestOutcome {
  good: boolean
  text: string
}

/** Has the server try settings; `outcome` is how the last try went, and nothing while it tries. */
export function useSettingsTest() {
  const [busy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<TestOutcome>()
  const runTest = async (test: () => Promise<TestOutcome>) => {
    setBusy(true)
    setOutcome(undefined)
    setOutcome(await test())
    setBusy(false)
  }
  return { busy, outcome, runTest }
}

/** The call of most tests: it answers `{ msg }`, or says what is wrong. */
export async function testSettings(path: string, values: object): Promise<TestOutcome> {
  try {
    const { msg } = await api.post<{ msg: string }>(path, values, { quiet: true })
    return { good: true, text: msg }
  } catch (error) {
    return { good: false, text: errorText(error) }
  }
}
