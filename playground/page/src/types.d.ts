declare module '*.js?worker' {
  const WorkerFactory: new () => Worker;
  export default WorkerFactory;
}

declare namespace globalThis {
  var MonacoEnvironment: { getWorker(id: string, label: string): Worker } | undefined;
}

declare module 'virtual:access' {
  const access: import('./access').Access;
  export default access;
}

declare module 'virtual:inputs' {
  const inputs: import('./form/shape').Inputs;
  export default inputs;
}
