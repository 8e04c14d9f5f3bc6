import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** For what hangs. Milliseconds. */
const LIMIT_MS = 1_200_000

/** What `npm run test:release` runs, and `npm test` does not: whole systems, one after the other. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['*.test.mjs'],
    fileParallelism: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    testTimeout: LIMIT_MS,
    hookTimeout: LIMIT_MS,
    expect: { poll: { timeout: 120_000 } },
  },
})
