namespace proven {}
