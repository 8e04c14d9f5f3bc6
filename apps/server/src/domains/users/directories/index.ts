/** The directories that people come from, for the domain that keeps them. */
export {
  closeDirectory,
  countDirectoryPeople,
  holdOpenDirectory,
  isAnyDirectoryOpen,
  isDirectoryOff,
  isDirectoryOffError,
  keepDirectory,
} from './directories.ts'
