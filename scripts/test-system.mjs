import {
  canInstall,
  installCommand,
  installWhatCanBeHad,
  missingPackages,
  SYSTEM_PACKAGES,
} from './system-packages.mjs'
import { testFiles } from './test-files.mjs'
import { filesThatLack } from './test-needs.mjs'

/**
 * Installs the system packages that the tests use. It prints those that cannot be had, for want of the
 * right or of the package, and their files are skipped: answers those, with the packages that each lacks.
 */
export function prepareSystem() {
  const names = Object.keys(SYSTEM_PACKAGES)
  const missing = canInstall() ? installWhatCanBeHad(names) : missingPackages(names)
  const lacking = filesThatLack(process.getuid?.() === 0 ? missing : [...missing, 'root'])
  if (missing.length)
    console.log(`Missing on this machine: ${missing.join(', ')}. Install them with: ${installCommand(missing)}`)
  if (lacking.size) console.log(`Skipped here: ${lacking.size} of ${testFiles().length} test files, named at the end.`)
  return lacking
}
