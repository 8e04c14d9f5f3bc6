/** What others need of the storages of recordings and commands. */
export { storageFault, storageFaultWords } from './test-connective.ts'
