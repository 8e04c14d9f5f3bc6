import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { pageRoutes } from './apps/console/page-routes.ts'
import FileOrder from './scripts/file-order.ts'

const root = fileURLToPath(new URL('.', import.meta.url))

/**
 * `expect.poll` ends as soon as it can; on a busy machine that may take longer than the library's
 * second. Tests state no limits of their own: what is late there is late elsewhere.
 */
const patient = { poll: { timeout: 120_000 } }

/**
 * Two more than there are processors, of which the library would leave one to itself: shells, clocks
 * and processes that are waited for leave more than half of a worker's time idle. A project that
 * extends a file of its own does not take this over from below.
 */
const WORKERS = Math.max(2, availableParallelism()) + 2

/** Their modules are replaced, loaded twice, or remember what only this file may have asked. */
const MODULES_OF_THEIR_OWN = [
  'src/domains/authentication/same-work.test.ts',
  'src/kernel/database/preparing-client.test.ts',
]

/** They measure what stays in memory: where many files have been, each collection takes long. */
const MEASURING_MEMORY = ['src/gateway/kinds/desktop/memory.test.ts', 'src/gateway/connectors/rdp/rdp-target.test.ts']

/**
 * Node runs what it runs in production as it is, and keeps it compiled: Vite would first rewrite
 * each module, for ten seconds of a processor before the server's first test. The loader of
 * packages that `main.ts` begins with is there too.
 */
const native = {
  experimental: { viteModuleRunner: false, nodeLoader: false },
  execArgv: ['--import', `${root}apps/server/src/kernel/resolve-once.ts`],
}

/**
 * For what hangs: no test is that long, whatever else its machine does. Milliseconds.
 */
const LIMIT_MS = 600_000
const limits = { testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS }

/** Real PostgreSQL and sshd on a small machine that does other things as well. */
const server = {
  root: `${root}apps/server`,
  globalSetup: ['test/database.ts'],
  ...limits,
  expect: patient,
}

/** Files of browsers and of three nodes at a time, each of which is several processes. */
const BROWSERS = 2

/** They go by the console's own list of pages, which only Vite can read; long ones, first by the project's name. */
const READING_PAGES = ['accessibility.spec.ts', 'language.spec.ts']

/** What `npm run test:cost` has each file write down. */
const measuring = process.env.TEST_COST_FILE ? [`${root}scripts/test-cost/in-file.mjs`] : []

/** Each file starts installations of its own. */
const browsers = {
  root: `${root}e2e`,
  sequence: { groupOrder: 2 },
  globalSetup: ['prepared-database.ts'],
  setupFiles: measuring,
  maxWorkers: BROWSERS,
  ...limits,
  expect: patient,
}

/** Whether programs that tests use are missing here: `scripts/test.mjs` says of which files. */
const isLacking = (process.env.TESTS_LACKING ?? '[]') !== '[]'

export default defineConfig({
  test: {
    // Projects that need the machine for themselves follow.
    maxWorkers: WORKERS,
    sequence: { sequencer: FileOrder },
    ...(isLacking ? { runner: `${root}scripts/test-runner.ts` } : {}),
    projects: [
      {
        test: {
          ...native,
          name: 'scripts',
          setupFiles: measuring,
          root: `${root}scripts`,
          include: ['*.test.mjs'],
          isolate: false,
          ...limits,
          expect: patient,
        },
      },
      {
        test: {
          ...native,
          name: 'contract',
          setupFiles: measuring,
          root: `${root}packages/contract`,
          ...limits,
          include: ['src/**/*.test.ts'],
          isolate: false,
        },
      },
      {
        test: {
          ...native,
          name: 'packages',
          setupFiles: measuring,
          root: `${root}packages`,
          ...limits,
          expect: patient,
          include: ['{client,cli}/src/**/*.test.ts'],
          isolate: false,
        },
      },
      {
        test: {
          ...server,
          ...native,
          name: 'server',
          setupFiles: measuring,
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...MODULES_OF_THEIR_OWN, ...MEASURING_MEMORY],
          // To load the server's modules takes longer than most files run: a worker loads them once.
          isolate: false,
        },
      },
      { test: { ...server, name: 'server modules', setupFiles: measuring, include: MODULES_OF_THEIR_OWN } },
      { test: { ...server, ...native, name: 'server memory', setupFiles: measuring, include: MEASURING_MEMORY } },
      {
        extends: `${root}apps/console/vite.config.ts`,
        test: {
          name: 'console',
          root: `${root}apps/console`,
          environment: 'jsdom',
          maxWorkers: WORKERS,
          include: ['src/**/*.test.{ts,tsx}'],
          isolate: false,
          setupFiles: [...measuring, 'src/test/fresh-page.ts', 'src/test/timeouts.ts'],
          ...limits,
          expect: patient,
        },
      },
      {
        test: {
          ...native,
          ...browsers,
          name: 'e2e',
          include: ['**/*.spec.ts'],
          exclude: ['security/**', 'cluster/**', ...READING_PAGES],
        },
      },
      { plugins: [pageRoutes()], test: { ...browsers, name: 'all pages', include: READING_PAGES } },
      {
        test: {
          // Three nodes under fault, without a browser. Most of its time it waits: beside browsers.
          name: 'cluster',
          setupFiles: measuring,
          sequence: { groupOrder: 2 },
          root: `${root}e2e`,
          include: ['cluster/*.test.ts'],
          maxWorkers: BROWSERS,
          ...limits,
          expect: patient,
        },
      },
      {
        test: {
          // Families of attacks on one installation, which is started before the first and stopped
          // after the last.
          name: 'security',
          setupFiles: measuring,
          sequence: { groupOrder: 1 },
          root: `${root}e2e`,
          include: ['security/*.spec.ts'],
          globalSetup: ['security/installation.ts'],
          fileParallelism: false,
          // They share nothing but the installation, and a worker for each would cost half a
          // second.
          isolate: false,
          ...limits,
          expect: patient,
        },
      },
    ],
  },
})
