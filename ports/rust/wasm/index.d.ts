export * from 'simhash-doc';
