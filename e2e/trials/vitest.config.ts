import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Long trials, which are no part of the suite (`npm run trial`). */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['*.trial.ts'],
    globalSetup: ['../../apps/server/test/database.ts', '../prepared-database.ts'],
    reporters: ['verbose'],
    disableConsoleIntercept: true,
    fileParallelism: false,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 240_000 } },
  },
})
