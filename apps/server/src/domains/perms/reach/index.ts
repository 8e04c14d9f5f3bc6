/** What other parts may ask about everything that people reach. */
export { permissionsByPerson, waysOf } from './ways-of.ts'
